# Errors of eigenvalues and eigenspaces on S^2 in three sweeps.
width = 1000; height = 640
load source.'/../style.gp'
set multiplot layout 2,3 margins 0.08,0.975,0.09,0.94 spacing 0.075,0.16
set logscale xy
sweeps = 'balanced landmarks points'
array titles[3] = ['m = 4√n, ε = m^(-1/4)', 'ε = 0.15, n fixed', 'ε = 0.15, m = 512']
array rates[3] = [-0.125, -0.5, 0]
designs = 'random kmeans'
pick(s, d, y) = strcol('sweep') eq word(sweeps, s) && strcol('design') eq word(designs, d) ? y : NaN
set format y '%g'
do for [c=1:2] { do for [s=1:3] {
  axis = s == 3 ? 'n' : 'm'
  set title titles[s] offset 0,-0.5
  set xlabel (s == 3 ? 'points n' : 'landmarks m')
  set xrange [(s == 3 ? 700 : s == 1 ? 100 : 50):(s == 3 ? 100000 : 1300)]
  if (s == 3) { set xtics ('1024' 1024, '4096' 4096, '16384' 16384, '65536' 65536) } else { set xtics (64, 128, 256, 512, 1024) }
  if (s == 1) { set ylabel (c == 1 ? 'relative error of eigenvalues' : 'sine of the largest angle') offset 1,0 } else { unset ylabel }
  if (c == 1) { set yrange [1e-3:3] } else { set yrange [0.003:3] }
  set key inside vertical maxrows auto top right
  first = word('ratio2 angle1', c); second = word('ratio3 angle2', c)
  line = "rates[s] < 0 ? (c == 1 ? 0.04 : 0.1)*(x/128.)**rates[s] : NaN with lines lt 5 title (s == 2 ? 'slope of the theorem' : '')"
  data = "for [d=1:2] summary('convergence') using (column(axis)):(pick(s, d, column(first))) with linespoints lt d title (s == 1 ? word('random, k-means,', d).(c == 1 ? ' ratio 5' : ' first 6') : ''), for [d=1:2] summary('convergence') using (column(axis)):(pick(s, d, column(second))) with linespoints lt d lw 0.7 pt (d == 1 ? 6 : 4) title (s == 1 ? word('random, k-means,', d).(c == 1 ? ' ratio 11' : ' next 10') : '')"
  what = data.(s < 3 ? ', '.line : '')
  eval "plot ".what
}}
unset multiplot
