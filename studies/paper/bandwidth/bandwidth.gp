# Eigenvalue difference and eigenspace cosine against l, at equal and at matched bandwidth.
width = 1000; height = 660
load source.'/../style.gp'
set multiplot layout 2,2 margins 0.06,0.985,0.085,0.895 spacing 0.07,0.16
set xrange [0.5:12.5]
set xtics 1
set xlabel 'eigenpair'
shapes = 'klein distorted-sphere'
kinds = 'equal matched doubled vdm'
array entries[4] = ['LA-VDM at ε', 'LA-VDM at ε/2', 'LA-VDM at ε/2, 2m landmarks', 'VDM at ε/2']
load source.'/../legend.gp'
pick(s, k, y) = strcol('shape') eq word(shapes, s) && strcol('bandwidth') eq word(kinds, k) ? y : NaN
do for [c=1:2] { do for [s=1:2] {
  metric = word('eigenvalue space', c)
  set title (s == 1 ? 'Klein bottle: ' : 'distorted sphere: ').(c == 1 ? 'eigenvalue difference |λ−μ|/μ' : 'worst cosine of eigenspaces') offset 0,-0.5
  if (c == 1) { set yrange [0:*]; step = s == 1 ? 0.01 : 0.05; set ytics step } else { set yrange [0:1.03]; set ytics 0.2 }
  plot for [k=1:4] summary('bandwidth') using (column('l')+0.1*(k-2.5)):(pick(s, k, column(metric))):(column(metric.'_mad')) \
         with yerrorlines lt k
  if (c == 1 && s == 1) { eval forget }
}}
unset multiplot
