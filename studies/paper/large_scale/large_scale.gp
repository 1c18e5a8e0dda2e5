# Seconds against n, ours and the paper's, for both shapes.
width = 1000; height = 380
load source.'/../style.gp'
set multiplot layout 1,2 margins 0.08,0.99,0.14,0.90 spacing 0.085,0.1
shapes = 'klein distorted-sphere'
designs = 'random kmeans'
theirs = source.'/paper.csv'
stats summary('large_scale') using (column('n')) name 'N' nooutput
full = N_max > 100000
set logscale xy
set xrange [N_min/1.5:N_max*1.5]
set xtics ('20,000' 20000, '50,000' 50000, '500,000' 500000, '1,000,000' 1000000)
set xlabel 'points n'
set ylabel 'seconds of a whole fit' offset 1,0
set yrange [*:(full ? 20000 : 100)]
if (full) { set key vertical maxrows auto at graph 0.98,0.42 right } else { set key inside vertical maxrows auto top left }
pick(s, d, y) = strcol('shape') eq word(shapes, s) && strcol('design') eq word(designs, d) ? y : NaN
paper(s, y) = strcol('experiment') eq 'large_scale' && strcol('metric') eq word(shapes, s) && full ? y : NaN
do for [s=1:2] {
  set title (s == 1 ? 'Klein bottle' : 'distorted sphere') offset 0,-0.5
  ours = "for [d=1:2] summary('large_scale') using (column('n')):(pick(s, d, column('seconds'))):(column('seconds_mad')) with yerrorlines lt d title (d == 1 ? 'LA-VDM, random landmarks' : 'LA-VDM, k-means landmarks')"
  vdm = "summary('large_scale_vdm') using (column('n')):(column('seconds')) with points lt 4 title 'VDM on the k-NN graph'"
  paper_la = "theirs using (column('m') == 706 ? 5e5 : 1e6):(paper(s, column('median'))) with linespoints lt 3 title 'LA-VDM, the paper'"
  paper_vdm = "theirs using (5e5):(strcol('metric') eq 'vdm' ? column('median') : NaN) with points lt 5 lc rgb '#000000' title 'VDM, the paper'"
  what = ours.(full ? ','.paper_la : '').(s == 1 ? ','.vdm : '').(s == 1 && full ? ','.paper_vdm : '')
  eval "plot ".what
}
unset multiplot
