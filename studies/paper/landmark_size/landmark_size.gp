# Against m: time, eigenvalue difference, cosine of eigenvectors, cosine of eigenspaces.
# A colour is an eigenvector, here and in the other figures of this experiment; open marks are k-means landmarks.
width = 1000; height = 660
load source.'/../style.gp'
set multiplot layout 2,2 margins 0.085,0.985,0.085,0.90 spacing 0.10,0.15
set logscale x 2
set xrange [40:2500]
set xtics (64, 128, 256, 512, 1024, 2048)
set xlabel 'landmarks m'
name = 'landmark_size'
designs = 'random kmeans'
pick(d, l, y) = strcol('design') eq word(designs, d) && column('l') == l ? y : NaN
array open[3] = [6, 4, 8]

set label 1 'colour:' at screen 0.33,0.975 right textcolor rgb faint
do for [j=1:3] { set label 1+j sprintf('● vector %d', 2*j-1) at screen 0.345+0.085*(j-1),0.975 left textcolor lt j }
set label 5 '●  random landmarks      ○  k-means' at screen 0.625,0.975 left textcolor rgb ink
unset key
set title 'seconds' offset 0,-0.5
set logscale y
set yrange [0.01:10]
eval decades
set label 6 'VDM, all points' at graph 0.03,0.59 left textcolor rgb faint
plot summary(name) using (column('m')):(pick(1, 1, column('vdm_seconds'))) with lines lt 5, \
     for [d=1:2] summary(name) using (column('m')):(pick(d, 1, column('seconds'))) with linespoints lt 1 lc rgb '#444c56' lw (3-d) pt (d == 1 ? 7 : 6)
do for [k=1:6] { unset label k }

metrics = 'eigenvalue cosine space'
array titles[3] = ['eigenvalue difference |λ−μ|/μ', 'cosine of eigenvectors', 'worst cosine of eigenspaces']
do for [k=1:3] {
  metric = word(metrics, k)
  set title titles[k] offset 0,-0.5
  if (k == 1) { set yrange [4e-5:0.1] } else { unset logscale y; set yrange [0:1.03]; set ytics autofreq }
  plot for [j=1:3] summary(name) using (column('m')):(pick(1, 2*j-1, column(metric))):(column(metric.'_mad')) \
         with yerrorbars lt j lw 0.8 ps 0, \
       for [j=1:3] summary(name) using (column('m')):(pick(2, 2*j-1, column(metric))) with linespoints lt j lw 0.8 pt open[j], \
       for [j=1:3] summary(name) using (column('m')):(pick(1, 2*j-1, column(metric))) with linespoints lt j
}
unset multiplot
