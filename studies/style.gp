# The style of every figure. A script starts with its size and this file:
#   width = 1000; height = 360
#   load source.'/../style.gp'
# Given: folder (of the CSVs), figure, kind (png or svg), source (the folder of the study).
# Text is plain (noenhanced), for names have underscores; superscripts are written as letters of Unicode. An SVG is drawn
# with the fonts of who looks at it: Arial, or what stands for it, is on every machine.
if (kind eq 'png') {
  set terminal pngcairo noenhanced size 1.6 * width, 1.6 * height font 'Lato,11' fontscale 1.6 linewidth 1.6 pointscale 1.5
  strong = 'Lato Bold,11.5'
} else {
  set terminal svg noenhanced size width, height font 'Arial,12.5' linewidth 1 background '#ffffff'
  strong = 'Arial,13.5'
}
set encoding utf8
set output folder.'/'.figure.'.'.kind
set datafile separator ','
set datafile commentschars '#'
set datafile missing NaN
ink = '#1f2328'; faint = '#656d76'
set border 3 lc rgb '#8c959f' lw 0.8
set tics nomirror out scale 0.5,0.25 textcolor rgb faint
set xlabel textcolor rgb ink offset 0,(kind eq 'svg' ? 0.7 : 0)
set ylabel textcolor rgb ink
set title font strong textcolor rgb ink
set grid ytics back lc rgb '#d8dee4' lw 0.7 dt 1
set key noautotitle samplen 2 spacing 1.15 textcolor rgb ink
set bars 0
set tmargin 2.2

# Colours that the colour-blind can tell apart, each with a mark of its own; a colour means one thing in all figures of a page.
blue = '#0072b2'; orange = '#d55e00'; green = '#009e73'; pink = '#cc79a7'; grey = '#8c959f'
set linetype 1 lc rgb blue lw 1.7 pt 7 ps 0.85 dt 1
set linetype 2 lc rgb orange lw 1.7 pt 5 ps 0.85 dt 1
set linetype 3 lc rgb green lw 1.7 pt 9 ps 1.05 dt 1
set linetype 4 lc rgb pink lw 1.7 pt 13 ps 1.1 dt 1
set linetype 5 lc rgb grey lw 1.3 pt 6 ps 0.9 dt (3,3)
# From what is alike, pale, to what is not, dark.
set palette defined (0 '#f3f6fa', 0.25 '#b6cde6', 0.5 '#5f93c9', 0.75 '#2a5a9c', 1 '#14204a')
# The same the other way round.
turned = "set palette defined (0 '#14204a', 0.25 '#2a5a9c', 0.5 '#5f93c9', 0.75 '#b6cde6', 1 '#f3f6fa')"
# Powers of ten as one writes them: eval decades.
decades = "set ytics ('10⁻⁶' 1e-6, '10⁻⁵' 1e-5, '10⁻⁴' 1e-4, '0.001' 1e-3, '0.01' 0.01, '0.1' 0.1, '1' 1, '10' 10, '100' 100, '1000' 1000, '10,000' 1e4)"

summary(name) = folder.'/'.name.'_summary.csv'
# y where the row is that of eigenvector l, else nothing.
of(l, y) = column('l') == l ? y : NaN
