# Turn over one landmark and loss of length of the average, against epsilon.
width = 680; height = 440
load source.'/../style.gp'
set lmargin at screen 0.10; set rmargin at screen 0.975; set bmargin at screen 0.13; set tmargin at screen 0.88
set logscale xy
set title 'difference from parallel transport; marks: the library' offset 0,0.3
set xlabel 'ε  (points and landmarks √ε apart)'
eval decades
set format x '%g'
set xrange [0.0007:1.6]
set yrange [1e-6:3]
unset key
set label 1 'turn, one landmark: excess of the triangle' at 0.0011,0.0012 left rotate by 16.3 textcolor lt 1
set label 2 'loss of length, average: its series' at 0.035,2.0e-5 left textcolor lt 2
set label 3 'ε^(3/2)/2, the order of the lemma' at 0.0012,3.4e-5 left rotate by 23.6 textcolor rgb faint
file = folder.'/two_step.csv'
kind(k, y) = strcol('kind') eq k ? y : NaN
plot 0.5*x**1.5 with lines lt 5, \
     file using (column('epsilon')):(kind('triangle', column('closed'))) with lines lt 1, \
     file using (column('epsilon')):(kind('triangle', column('library'))) with points lt 1, \
     file using (column('epsilon')):(kind('average', column('closed'))) with lines lt 2, \
     file using (column('epsilon')):(kind('average', column('library'))) with points lt 2
