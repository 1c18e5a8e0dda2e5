# Recordings as they are and turned back by their phases; errors of the phases against the noise.
set terminal pngcairo size 1200,340 font 'DejaVu Sans,11'
set output picture
set multiplot layout 1,4
set border 15 lc rgb '#444444'
unset colorbox; unset key
set palette gray
set xrange [-0.5:63.5]; set yrange [-0.5:99.5]; set cbrange [-2.5:2.5]
set format x ''; set ytics 0,50,100; set xlabel 'sample'
set ylabel 'recording' offset 1.5
set title 'recordings, noise 0.6'
plot folder.'/phases_recordings.txt' using 2:1:3 with image
unset ylabel; set format y ''
set title 'turned back by their phases'
plot folder.'/phases_recordings.txt' using 2:1:4 with image
set format x '%g'; set format y '%g'
set logscale xy; set xrange [0.09:1.7]; set yrange [0.3:120]; set xtics (0.1, 0.2, 0.3, 0.6, 1, 1.5); set ytics (0.5, 1, 2, 5, 10, 20)
set xlabel 'noise'; set ylabel 'error of the phase, degrees' offset 1
set key top left samplen 2
do for [i=0:1] {
  set title i ? '6 of 64 samples lost' : 'nothing lost'
  plot folder.'/phases_errors.txt' index i using 2:5 with linespoints pt 7 lw 2 lc rgb '#d95f02' title 'against the first', '' index i using 2:4 with linespoints pt 7 lw 2 lc rgb '#1f77b4' title 'together', '' index i using 2:3 with lines lw 2 dt 3 lc rgb '#444444' title 'least possible'
}
unset multiplot
