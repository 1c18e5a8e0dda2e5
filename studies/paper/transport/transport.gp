# Error of the effective transport against m, for both radii and three kinds of frames.
width = 1000; height = 420
load source.'/../style.gp'
set multiplot layout 1,2 margins 0.08,0.99,0.12,0.91 spacing 0.085,0.1
set xrange [14:88]
set xtics 20
set xlabel 'landmarks m around each point'
set ylabel 'L² error' offset 1,0
set logscale y
set yrange [0.001:2]
set key inside vertical maxrows auto top right
array names[3] = ['exact planes', 'frames from a cloud', 'frames from landmarks']
kinds = 'exact cloud landmarks'
radii = 'epsilon sqrt'
pick(r, k, y) = strcol('radius') eq word(radii, r) && strcol('frames') eq word(kinds, k) ? y : NaN
file = source.'/paper.csv'
do for [r=1:2] {
  set title (r == 1 ? 'landmarks within ε of s₁ or s₂' : 'landmarks within √ε') offset 0,-0.5
  plot for [k=1:3] summary('transport') using (column('m')+0.8*(k-2)):(pick(r, k, column('error'))):(column('error_mad')) \
         with yerrorlines lt k title (r == 2 ? names[k] : ''), \
       summary('transport') using (column('m')):(pick(r, 1, column('limit'))) with linespoints lt 4 title (r == 2 ? 'exact planes: from the limit' : ''), \
       file using (column('m')):(strcol('experiment') eq 'transport' ? column('median') : NaN):(column('mad')) \
         with yerrorbars lt 5 lc rgb '#000000' title (r == 2 ? 'the paper (error)' : '')
}
unset multiplot
