# The phase of the object: with the phases of the frames as found, chained, synchronised, and true.
set terminal pngcairo size 1200,312 font 'DejaVu Sans,11'
set output picture
set multiplot layout 1,4 margins 0.006,0.93,0.02,0.9 spacing 0.012,0
unset key; unset tics
set border 15 lc rgb '#444444'
set size ratio -1
set xrange [-0.5:159.5]; set yrange [159.5:-0.5]; set cbrange [-pi:pi]
set palette model HSV functions gray, 0.65, 0.95
names = 'found chained synchronised true'
array titles[4] = ['phases as found', 'chained', 'synchronised', 'true phases']
do for [i=1:4] {
  set title titles[i] offset 0,-0.5
  if (i == 4) { set colorbox user origin 0.942,0.03 size 0.014,0.84; set cbtics ('−π' -pi, '0' 0, 'π' pi) } else { unset colorbox }
  plot folder.'/ptychography_'.word(names, i).'.txt' using 1:2:3 with image
}
unset multiplot
