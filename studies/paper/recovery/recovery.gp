# The top 20 eigenpairs: eigenvalue difference, cosine, L2 difference, eigenspace cosine.
width = 1000; height = 640
load source.'/../style.gp'
set multiplot layout 2,2 margins 0.09,0.98,0.09,0.94 spacing 0.09,0.15
set xrange [0:21]
set xtics 2
set xlabel 'eigenpair'
metrics = 'eigenvalue cosine difference space'
array labels[4] = ['eigenvalue difference |λ-μ|/μ', 'cosine of eigenvectors', 'L² difference of eigenvectors', \
                   'worst cosine of eigenspaces']
designs = 'random kmeans'
pick(j, y) = strcol('design') eq word(designs, j) ? y : NaN
set yrange [0:*]
do for [k=1:4] {
  metric = word(metrics, k)
  set ylabel labels[k]
  if (k == 2 || k == 4) { set yrange [0:1.03] } else { set yrange [0:*] }
  plot for [j=1:2] summary('recovery') using (column('l')+0.12*(2*j-3)):(pick(j, column(metric))):(column(metric.'_mad')) \
         with yerrorbars lt j dt 1 lw 0.9 ps 0, \
       for [j=1:2] summary('recovery') using (column('l')+0.12*(2*j-3)):(pick(j, column(metric))) \
         with linespoints lt j title (k == 1 ? (j == 1 ? 'random landmarks' : 'k-means landmarks') : '')
}
unset multiplot
