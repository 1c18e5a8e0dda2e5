# Four metrics against the column `name`, for eigenvectors 2, 4, 6; ticks `steps` apart.
width = 1000; height = 640
load source.'/../style.gp'
set multiplot layout 2,2 margins 0.06,0.985,0.085,0.90 spacing 0.07,0.16
set xrange [-0.03:1.03]
set xlabel axis
array entries[3] = ['vector 2', 'vector 4', 'vector 6']
load source.'/../legend.gp'
metrics = 'eigenvalue cosine difference space'
array titles[4] = ['eigenvalue difference |λ−μ|/μ', 'cosine of eigenvectors', 'L² difference of eigenvectors', \
                   'worst cosine of eigenspaces']
do for [k=1:4] {
  metric = word(metrics, k)
  set title titles[k] offset 0,-0.5
  step = real(word(steps, k)); set ytics step
  plot for [j=1:3] summary(name) using (column(name)+0.008*(j-2)):(of(2*j, column(metric))):(column(metric.'_mad')) \
         with yerrorbars lt j lw 0.8 ps 0, \
       for [j=1:3] summary(name) using (column(name)+0.008*(j-2)):(of(2*j, column(metric))) \
         with linespoints lt j
  if (k == 1) { eval forget }
}
unset multiplot
