# The top 20 eigenpairs: eigenvalue difference, cosine, L2 difference, eigenspace cosine.
width = 1000; height = 640
load source.'/../style.gp'
set multiplot layout 2,2 margins 0.06,0.985,0.085,0.90 spacing 0.07,0.16
set xrange [0:21]
set xtics 2
set xlabel 'eigenpair'
array entries[2] = ['random landmarks', 'k-means landmarks']
load source.'/../legend.gp'
metrics = 'eigenvalue cosine difference space'
array titles[4] = ['eigenvalue difference |λ−μ|/μ', 'cosine of eigenvectors', 'L² difference of eigenvectors', \
                   'worst cosine of eigenspaces']
designs = 'random kmeans'
pick(j, y) = strcol('design') eq word(designs, j) ? y : NaN
do for [k=1:4] {
  metric = word(metrics, k)
  set title titles[k] offset 0,-0.5
  if (k == 2 || k == 4) { set yrange [0:1.03] } else { set yrange [0:*] }
  step = k == 1 ? 0.1 : 0.2; set ytics step
  plot for [j=1:2] summary('recovery') using (column('l')+0.12*(2*j-3)):(pick(j, column(metric))):(column(metric.'_mad')) \
         with yerrorbars lt j lw 0.8 ps 0, \
       for [j=1:2] summary('recovery') using (column('l')+0.12*(2*j-3)):(pick(j, column(metric))) \
         with linespoints lt j
  if (k == 1) { eval forget }
}
unset multiplot
