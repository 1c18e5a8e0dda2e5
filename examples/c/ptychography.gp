# The phase of the object: with the phases of the frames as found, chained, synchronised, and true.
width = 1200; height = 308
load 'examples/c/style.gp'
set multiplot layout 1,4 margins 0.006,0.93,0.02,0.885 spacing 0.012,0
unset key; unset tics
set border 15 lc rgb '#d0d7de'
set size ratio -1
set xrange [-0.5:159.5]; set yrange [159.5:-0.5]; set cbrange [-pi:pi]
eval wheel
names = 'found chained synchronised true'
array titles[4] = ['phases as found', 'chained', 'synchronised', 'true phases']
do for [i=1:4] {
  set title titles[i] offset 0,-0.5
  if (i == 4) {
    set colorbox user origin 0.942,0.03 size 0.012,0.80; set cbtics ('−π' -pi, '0' 0, 'π' pi) scale 0 textcolor rgb faint
    set label 1 'phase' at screen 0.942,0.9 left textcolor rgb faint
  } else { unset colorbox }
  plot folder.'/ptychography_'.word(names, i).'.txt' using 1:2:3 with image
}
unset multiplot
