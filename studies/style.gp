# The style of every figure. A script starts with its size and this file:
#   width = 1000; height = 360
#   load source.'/../style.gp'
# Given: folder (of the CSVs), figure, kind (png or svg), source (the folder of the study).
if (kind eq 'png') {
  set terminal pngcairo noenhanced size 1.6 * width, 1.6 * height font 'DejaVu Sans,10' fontscale 1.6 linewidth 1.6 pointscale 1.5
} else {
  set terminal svg noenhanced size width, height font 'DejaVu Sans,12' linewidth 1 background '#ffffff'
}
set output folder.'/'.figure.'.'.kind
set datafile separator ','
set datafile commentschars '#'
set datafile missing NaN
set border 3 lc rgb '#444444'
set tics nomirror textcolor rgb '#222222'
set grid lc rgb '#cccccc' lw 0.5 dt 1
set key noautotitle at graph 0.5,1.1 center horizontal maxrows 1 samplen 2 spacing 1.1
set bars 0.6
set tmargin 2.2

# Colours that the colour-blind can tell apart, each with a mark of its own.
set linetype 1 lc rgb '#0072b2' lw 1.6 pt 7 ps 0.9 dt 1
set linetype 2 lc rgb '#d55e00' lw 1.6 pt 5 ps 0.9 dt (8,3)
set linetype 3 lc rgb '#009e73' lw 1.6 pt 9 ps 1.1 dt (3,2)
set linetype 4 lc rgb '#cc79a7' lw 1.6 pt 13 ps 1.1 dt (8,3,2,3)
set linetype 5 lc rgb '#999999' lw 1.2 pt 6 ps 0.9 dt (2,3)
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')

summary(name) = folder.'/'.name.'_summary.csv'
# y where the row is that of eigenvector l, else nothing.
of(l, y) = column('l') == l ? y : NaN
