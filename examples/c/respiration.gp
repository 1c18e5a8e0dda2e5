# Above: the signals of the simulated ECG, their mean and the fused signal beside the truth.
# Below, if it is there: a real ECG, its signals and the fused one.
simulated = folder.'/respiration_simulated.txt'
real = folder.'/respiration_real.txt'
ecg = folder.'/ecg.txt'
there = system("test -f '".real."' -a -f '".ecg."' && echo 1") + 0
height = there ? 1300 : 760
width = 1200
load 'examples/c/style.gp'
set terminal pngcairo noenhanced size 1.25*width,1.25*0.75*height font 'Lato,11' fontscale 1.25 linewidth 1.25
set output picture
stats simulated using 10 name 'S' nooutput
if (there) { stats real using 10 name 'R' nooutput }

set multiplot
set border 3
set grid xtics lc rgb '#d8dee4' lw 0.6
unset key
set lmargin at screen 0.09; set rmargin at screen 0.975
at(y) = 1 - y/(1.0*height)
set linetype 1 lc rgb blue lw 1.9
set linetype 2 lc rgb orange lw 1.9
set linetype 3 lc rgb '#b8c0c8' lw 3
set linetype 4 lc rgb '#57606a' lw 1.3

set xrange [60:100]
set tmargin at screen at(45); set bmargin at screen at(400)
set yrange [-0.6:5.6]; set format x ''
set ytics ('interval' 0, 'level' 1, 'area' 2, 'downslope' 3, 'upslope' 4, 'height' 5)
set title 'simulated ECG: what breathing leaves at the beats, each signal with a phase of its own' offset 0,-0.6
plot for [k=1:6] simulated using 1:(6 - k + column(2 + k)/3.5) with lines lt 4
set tmargin at screen at(445); set bmargin at screen at(560)
set yrange [-1.6:1.6]; set ytics ('mean' 0)
set title 'their mean, and fused, beside the true respiration (grey)' offset 0,-0.6
plot simulated using 1:2 with lines lt 3, simulated using 1:(1.5*$9) with lines lt 2
set tmargin at screen at(570); set bmargin at screen at(700)
unset title
set ytics ('fused' 0); set format x '%g s'
plot simulated using 1:2 with lines lt 3, simulated using 1:($10/S_stddev/1.4) with lines lt 1

if (there) {
  set xrange [20:60]; set format x ''
  set tmargin at screen at(790); set bmargin at screen at(880)
  set yrange [-1.6:2.6]; set ytics ('ECG' 0)
  set title 'a real ECG (MIT-BIH 208), its signals, and the fused one' offset 0,-0.6 font 'Lato Bold,11.5' textcolor rgb ink
  plot ecg using ($0/360):1 with lines lt 4 lw 0.7
  unset title
  set tmargin at screen at(885); set bmargin at screen at(1150)
  set yrange [-0.6:5.6]
  set ytics ('interval' 0, 'level' 1, 'area' 2, 'downslope' 3, 'upslope' 4, 'height' 5)
  plot for [k=1:6] real using 1:(6 - k + column(2 + k)/3.5) with lines lt 4
  set tmargin at screen at(1155); set bmargin at screen at(1260)
  set yrange [-2:2]; set ytics ('fused' 0); set format x '%g s'
  plot real using 1:($10/R_stddev/1.2) with lines lt 1
}
unset multiplot
