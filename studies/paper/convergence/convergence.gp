# Errors of eigenvalues and eigenspaces on S^2 in three sweeps. A colour is a design; open marks are the next level.
width = 1000; height = 640
load source.'/../style.gp'
set multiplot layout 2,3 margins 0.085,0.985,0.085,0.885 spacing 0.055,0.15
set logscale xy
sweeps = 'balanced landmarks points'
array titles[3] = ['m = 4√n, ε = m^(−1/4)', 'ε = 0.15, n fixed', 'ε = 0.15, m = 512']
array rates[3] = [-0.125, -0.5, 0]
designs = 'random kmeans'
pick(s, d, y) = strcol('sweep') eq word(sweeps, s) && strcol('design') eq word(designs, d) ? y : NaN
eval decades
unset key
set label 1 '● random landmarks' at screen 0.09,0.975 left textcolor lt 1
set label 2 '■ k-means landmarks' at screen 0.25,0.975 left textcolor lt 2
set label 3 'filled: ratio 5, first 6 fields     open: ratio 11, next 10     dotted: slope of the theorem' at screen 0.42,0.975 left textcolor rgb ink
array rows[2] = ['relative error of eigenvalues', 'sine of the largest angle']
do for [c=1:2] { do for [s=1:3] {
  axis = s == 3 ? 'n' : 'm'
  set title (c == 1 ? titles[s] : '') offset 0,-0.5
  set ylabel (s == 1 ? rows[c] : '') offset 0.5,0
  set xlabel (s == 3 ? 'points n' : 'landmarks m')
  set xrange [(s == 3 ? 700 : s == 1 ? 100 : 50):(s == 3 ? 100000 : 1300)]
  if (s == 3) { set xtics ('1024' 1024, '4096' 4096, '16,384' 16384, '65,536' 65536) } else { set xtics (64, 128, 256, 512, 1024) }
  if (c == 1) { set yrange [5e-3:0.6] } else { set yrange [0.01:1.5] }
  first = word('ratio2 angle1', c); second = word('ratio3 angle2', c)
  line = "rates[s] < 0 ? (c == 1 ? 0.04 : 0.1)*(x/128.)**rates[s] : NaN with lines lt 5"
  data = "for [d=1:2] summary('convergence') using (column(axis)):(pick(s, d, column(second))) with linespoints lt d lw 0.8 pt (d == 1 ? 6 : 4), for [d=1:2] summary('convergence') using (column(axis)):(pick(s, d, column(first))) with linespoints lt d"
  eval "plot ".(s < 3 ? line.', ' : '').data
  unset label 1; unset label 2; unset label 3
}}
unset multiplot
