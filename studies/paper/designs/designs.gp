# 1 - worst cosine of the leading eigenspace against m, for three designs.
width = 1000; height = 400
load source.'/../style.gp'
set multiplot layout 1,2 margins 0.08,0.99,0.13,0.90 spacing 0.085,0.1
set logscale x 2
set logscale y
set xrange [26:2500]
set yrange [*:2]
set xtics (32, 64, 128, 256, 512, 1024, 2048)
set xlabel 'landmarks m'
set ylabel '1 - worst cosine of the leading eigenspace' offset 1,0
set key inside vertical maxrows auto bottom left
shapes = 'klein distorted-sphere'
designs = 'random farthest kmeans'
array names[3] = ['random', 'farthest points', 'k-means']
pick(s, d, y) = strcol('shape') eq word(shapes, s) && strcol('design') eq word(designs, d) ? y : NaN
low(y, e) = y - e > 0 ? y - e : y*0.2
do for [s=1:2] {
  set title (s == 1 ? 'Klein bottle' : 'distorted sphere') offset 0,-0.5
  plot for [d=1:3] summary('designs') using (column('m')*(1+0.03*(d-2))):(pick(s, d, 1-column('space'))):(low(1-column('space'), column('space_mad'))):(1-column('space')+column('space_mad')) \
         with yerrorlines lt d title (s == 1 ? names[d] : '')
}
unset multiplot
