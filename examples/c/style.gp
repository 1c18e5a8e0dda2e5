# What the pictures of the examples have in common. Given: folder (of the tables), picture; set before: width, height.
set encoding utf8
set terminal pngcairo noenhanced size 1.5*width, 1.5*height font 'Lato,11' fontscale 1.5 linewidth 1.5 pointscale 1.4
set output picture
ink = '#1f2328'; faint = '#656d76'; blue = '#0072b2'; orange = '#d55e00'; grey = '#8c959f'
set title font 'Lato Bold,11.5' textcolor rgb ink
set xlabel textcolor rgb ink
set ylabel textcolor rgb ink
set border lc rgb grey lw 0.8
set tics nomirror out scale 0.5,0.25 textcolor rgb faint
# A circle of colours about as light everywhere, so that no angle stands out.
wheel = "set palette defined (0 '#ee5a72', 0.17 '#f2ad3c', 0.34 '#93c94b', 0.5 '#22c7b5', 0.67 '#4a97f0', 0.84 '#b57ae8', 1 '#ee5a72')"
