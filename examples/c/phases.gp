# Recordings as they are and turned back by their phases; errors of the phases against the noise.
width = 1200; height = 360
load 'examples/c/style.gp'
set multiplot
unset colorbox; unset key
set palette gray
set tmargin at screen 0.87; set bmargin at screen 0.16
set border 15
set xrange [-0.5:63.5]; set yrange [-0.5:99.5]; set cbrange [-2.5:2.5]
set format x ''; set xtics scale 0; set ytics 0,50,100; set xlabel 'sample' offset 0,1
set ylabel 'recording' offset 1.5
set title 'recordings, noise 0.6' offset 0,-0.4
set lmargin at screen 0.055; set rmargin at screen 0.235
plot folder.'/phases_recordings.txt' using 2:1:3 with image
unset ylabel; set format y ''
set title 'turned back by their phases'
set lmargin at screen 0.265; set rmargin at screen 0.445
plot folder.'/phases_recordings.txt' using 2:1:4 with image
set border 3
set grid ytics lc rgb '#d8dee4' lw 0.7
set format x '%g'; set format y '%g'; set xtics scale 0.5
set logscale xy; set xrange [0.09:1.7]; set yrange [0.3:60]; set xtics (0.1, 0.2, 0.3, 0.6, 1, 1.5); set ytics (0.5, 1, 2, 5, 10, 20, 50)
set xlabel 'noise' offset 0,0
do for [i=0:1] {
  set title (i ? '6 of 64 samples lost' : 'nothing lost')
  set ylabel 'error of the phase, degrees' offset 1
  if (i) { set lmargin at screen 0.775; set rmargin at screen 0.985 } else { set lmargin at screen 0.51; set rmargin at screen 0.72 }
  unset label
  if (i) {
    set label 'against the first' at 0.105,5 left textcolor rgb orange
    set label 'together' at 0.105,1.6 left textcolor rgb blue
    set label 'least possible' at 0.26,0.75 left textcolor rgb faint
  }
  plot folder.'/phases_errors.txt' index i using 2:3 with lines lw 1.6 dt 3 lc rgb ink, '' index i using 2:5 with linespoints pt 5 ps 0.8 lw 1.7 lc rgb orange, '' index i using 2:4 with linespoints pt 7 ps 0.8 lw 1.7 lc rgb blue
}
unset multiplot
