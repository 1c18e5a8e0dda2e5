# Against m: time, eigenvalue difference, cosine of eigenvectors, cosine of eigenspaces.
width = 1000; height = 640
load source.'/../style.gp'
set multiplot layout 2,2 margins 0.09,0.98,0.09,0.93 spacing 0.10,0.15
set logscale x 2
set xrange [40:2500]
set xtics (64, 128, 256, 512, 1024, 2048)
set xlabel 'landmarks m'
name = 'landmark_size'
designs = 'random kmeans'
pick(d, l, y) = strcol('design') eq word(designs, d) && column('l') == l ? y : NaN

set ylabel 'seconds'
set logscale y
plot for [d=1:2] summary(name) using (column('m')):(pick(d, 1, column('seconds'))) with linespoints lt d \
       title (d == 1 ? 'random' : 'k-means'), \
     summary(name) using (column('m')):(pick(1, 1, column('vdm_seconds'))) with lines lt 5 title 'VDM'

array open[3] = [6, 4, 8]
set ylabel 'eigenvalue difference |λ-μ|/μ'
set key at graph 1,0.03 bottom right vertical maxrows 3
set yrange [1e-5:*]
set format y '%g'
metric = 'eigenvalue'
plot for [j=1:3] summary(name) using (column('m')):(pick(1, 2*j-1, column(metric))):(column(metric.'_mad')) \
       with yerrorbars lt j dt 1 lw 0.9 ps 0, \
     for [j=1:3] summary(name) using (column('m')):(pick(1, 2*j-1, column(metric))) with linespoints lt j \
       title sprintf('vector %d', 2*j-1), \
     for [j=1:3] summary(name) using (column('m')):(pick(2, 2*j-1, column(metric))) with linespoints lt j lw 0.7 pt open[j] \
       title sprintf('%d k-means', 2*j-1)
unset logscale y
unset key
set format y '%g'
set ytics auto
do for [k=1:2] {
  metric = word('cosine space', k)
  set ylabel (k == 1 ? 'cosine of eigenvectors' : 'worst cosine of eigenspaces')
  set yrange [0:1.03]
  plot for [j=1:3] summary(name) using (column('m')):(pick(1, 2*j-1, column(metric))):(column(metric.'_mad')) \
         with yerrorbars lt j dt 1 lw 0.9 ps 0, \
       for [j=1:3] summary(name) using (column('m')):(pick(1, 2*j-1, column(metric))) with linespoints lt j, \
       for [j=1:3] summary(name) using (column('m')):(pick(2, 2*j-1, column(metric))) with linespoints lt j lw 0.7 pt open[j]
}
unset multiplot
