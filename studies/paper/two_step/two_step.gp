# Turn over one landmark and loss of length of the average, against epsilon.
width = 620; height = 420
load source.'/../style.gp'
set lmargin at screen 0.14; set rmargin at screen 0.97; set bmargin at screen 0.13
set logscale xy
set xlabel 'ε (points and landmarks √ε apart)'
set ylabel 'difference from parallel transport'
set format y '%.0e'
set format x '%g'
set xrange [0.0007:1.4]
set yrange [1e-6:10]
set key inside vertical maxrows auto top left
file = folder.'/two_step.csv'
kind(k, y) = strcol('kind') eq k ? y : NaN
plot file using (column('epsilon')):(kind('triangle', column('closed'))) with lines lt 1 title 'turn, one landmark: excess of the triangle', \
     file using (column('epsilon')):(kind('triangle', column('library'))) with points lt 1 title 'library', \
     file using (column('epsilon')):(kind('average', column('closed'))) with lines lt 2 title 'loss of length, average: series', \
     file using (column('epsilon')):(kind('average', column('library'))) with points lt 2 title 'library', \
     0.5*x**1.5 with lines lt 5 title 'ε^(3/2)/2: the order of the lemma'
