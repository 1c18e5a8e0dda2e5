# Seconds against n, ours (filled) and the paper's (open), for both shapes; each point with its seconds.
width = 1000; height = 420
load source.'/../style.gp'
set multiplot layout 1,2 margins 0.07,0.985,0.13,0.86 spacing 0.075,0.1
shapes = 'klein distorted-sphere'
designs = 'random kmeans'
theirs = source.'/paper.csv'
stats summary('large_scale') using (column('n')) name 'N' nooutput
full = N_max > 100000
set logscale xy
set xrange [N_min/1.6:N_max*1.9]
set xtics ('20,000' 20000, '50,000' 50000, '500,000' 500000, '1,000,000' 1000000)
set xlabel 'points n'
eval decades
set yrange [0.1:(full ? 20000 : 100)]
array entries[4] = ['LA-VDM, random landmarks', 'LA-VDM, k-means landmarks', 'VDM on the k-NN graph', '']
entries[4] = full ? 'LA-VDM, the paper     △ VDM, the paper' : ''
load source.'/../legend.gp'
if (full) { set label 104 '□ '.entries[4] textcolor rgb ink } else { unset label 104 }
pick(s, d, y) = strcol('shape') eq word(shapes, s) && strcol('design') eq word(designs, d) ? y : NaN
paper(s, y) = strcol('experiment') eq 'large_scale' && strcol('metric') eq word(shapes, s) && full ? y : NaN
said(y) = y < 10 ? sprintf('%.1f s', y) : sprintf('%.0f s', y)
# Seconds stand beside their points: to the left of the smaller n, to the right of the larger one.
side(n, k, y) = (n < sqrt(1.*N_min*N_max)) == (k == 1) ? y : NaN
do for [s=1:2] {
  set title (s == 1 ? 'Klein bottle' : 'distorted sphere').': seconds of a whole fit' offset 0,-0.5
  both = "summary('large_scale') using (column('n')):(side(column('n'), %d, pick(s, d, column('seconds')))):(said(column('seconds'))) with labels %s offset %g,(d == 1 ? -0.5 : 0.4) textcolor lt d"
  ours = "for [d=1:2] summary('large_scale') using (column('n')):(pick(s, d, column('seconds'))):(column('seconds_mad')) with yerrorlines lt d, for [d=1:2] ".sprintf(both, 1, 'right', -0.9).", for [d=1:2] ".sprintf(both, 2, 'left', 0.9)
  vdm = "summary('large_scale_vdm') using (column('n')):(column('seconds')) with points lt 3, summary('large_scale_vdm') using (column('n')):(column('seconds')):(said(column('seconds'))) with labels right offset -0.9,0 textcolor lt 3"
  theirs_at = "theirs using (column('m') == 706 ? 5e5 : 1e6):(side(column('m') == 706 ? 5e5 : 1e6, %d, paper(s, column('median')))):(said(column('median'))) with labels %s offset %g,0 textcolor rgb ink"
  paper_la = "theirs using (column('m') == 706 ? 5e5 : 1e6):(paper(s, column('median'))) with linespoints lt 5 pt 4 lc rgb ink, ".sprintf(theirs_at, 1, 'right', -0.9).", ".sprintf(theirs_at, 2, 'left', 0.9)
  paper_vdm = "theirs using (5e5):(strcol('metric') eq 'vdm' ? column('median') : NaN) with points lt 5 pt 8 lc rgb ink, theirs using (5e5):(strcol('metric') eq 'vdm' ? column('median') : NaN):(said(column('median'))) with labels right offset -0.9,0 textcolor rgb ink"
  eval "plot ".ours.(full ? ','.paper_la : '').(s == 1 ? ','.vdm : '').(s == 1 && full ? ','.paper_vdm : '')
  do for [k=101:104] { set label k '' }
}
unset multiplot
