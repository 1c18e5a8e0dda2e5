# Error of the effective transport against m, for both radii and three kinds of frames.
width = 1000; height = 440
load source.'/../style.gp'
set multiplot layout 1,2 margins 0.065,0.985,0.12,0.86 spacing 0.075,0.1
set xrange [14:88]
set xtics 20
set xlabel 'landmarks m around each point'
set logscale y
set yrange [0.001:0.5]
eval decades
array entries[5] = ['exact planes', 'frames from a cloud', 'frames from landmarks', 'exact planes, from the limit', 'the paper']
load source.'/../legend.gp'
kinds = 'exact cloud landmarks'
radii = 'epsilon sqrt'
pick(r, k, y) = strcol('radius') eq word(radii, r) && strcol('frames') eq word(kinds, k) ? y : NaN
file = source.'/paper.csv'
do for [r=1:2] {
  set title 'L² error, landmarks within '.(r == 1 ? 'ε of s₁ or s₂' : '√ε') offset 0,-0.5
  plot for [k=1:3] summary('transport') using (column('m')+0.8*(k-2)):(pick(r, k, column('error'))):(column('error_mad')) \
         with yerrorlines lt k, \
       summary('transport') using (column('m')):(pick(r, 1, column('limit'))) with linespoints lt 4, \
       file using (column('m')+1.6):(strcol('experiment') eq 'transport' ? column('median') : NaN):(column('mad')) \
         with yerrorbars lt 5 lc rgb ink dt 1 lw 1
  if (r == 1) { eval forget }
}
unset multiplot
