# Four metrics against the column `name`, for eigenvectors 2, 4, 6.
width = 1000; height = 640
load source.'/../style.gp'
set multiplot layout 2,2 margins 0.09,0.98,0.09,0.94 spacing 0.09,0.15
set xrange [-0.03:1.03]
set xlabel axis
metrics = 'eigenvalue cosine difference space'
array labels[4] = ['eigenvalue difference |λ-μ|/μ', 'cosine of eigenvectors', 'L² difference of eigenvectors', \
                   'worst cosine of eigenspaces']
do for [k=1:4] {
  metric = word(metrics, k)
  set ylabel labels[k]
  plot for [j=1:3] summary(name) using (column(name)+0.008*(j-2)):(of(2*j, column(metric))):(column(metric.'_mad')) \
         with yerrorbars lt j dt 1 lw 0.9 ps 0, \
       for [j=1:3] summary(name) using (column(name)+0.008*(j-2)):(of(2*j, column(metric))) \
         with linespoints lt j title (k == 1 ? sprintf('vector %d', 2*j) : '')
}
unset multiplot
