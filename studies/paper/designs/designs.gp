# 1 - worst cosine of the leading eigenspace against m, for three designs.
width = 1000; height = 420
load source.'/../style.gp'
set multiplot layout 1,2 margins 0.065,0.985,0.13,0.86 spacing 0.075,0.1
set logscale x 2
set logscale y
set xrange [26:2500]
set xtics (32, 64, 128, 256, 512, 1024, 2048)
set xlabel 'landmarks m'
eval decades
shapes = 'klein distorted-sphere'
designs = 'random farthest kmeans'
array entries[3] = ['random', 'farthest points', 'k-means']
load source.'/../legend.gp'
pick(s, d, y) = strcol('shape') eq word(shapes, s) && strcol('design') eq word(designs, d) ? y : NaN
low(y, e) = y - e > 0 ? y - e : y*0.2
do for [s=1:2] {
  set title (s == 1 ? 'Klein bottle' : 'distorted sphere').': 1 − worst cosine of the leading eigenspace' offset 0,-0.5
  if (s == 1) { set yrange [0.001:2] } else { set yrange [1e-4:0.2] }
  plot for [d=1:3] summary('designs') using (column('m')*(1+0.03*(d-2))):(pick(s, d, 1-column('space'))):(low(1-column('space'), column('space_mad'))):(1-column('space')+column('space_mad')) \
         with yerrorlines lt d
  if (s == 1) { eval forget }
}
unset multiplot
