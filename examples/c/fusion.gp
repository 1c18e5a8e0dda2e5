# The first two coordinates of either sensor, of both together, and fused; the colour is the common angle.
set terminal pngcairo size 1200,312 font 'DejaVu Sans,11'
set output picture
set multiplot layout 1,4 margins 0.006,0.93,0.02,0.9 spacing 0.012,0
unset key; unset tics
set border 15 lc rgb '#444444'
set size square
set offsets graph 0.06, graph 0.06, graph 0.06, graph 0.06
set cbrange [0:2*pi]
set palette model HSV functions gray, 0.75, 0.9
names = 'sensor_1 sensor_2 both fused'
array titles[4] = ['sensor 1', 'sensor 2', 'both in one vector', 'fused through landmarks']
do for [i=1:4] {
  set title titles[i] offset 0,-0.5
  if (i == 4) { set colorbox user origin 0.942,0.03 size 0.014,0.84; set cbtics ('0' 0, 'π' pi, '2π' 2*pi) } else { unset colorbox }
  plot folder.'/fusion_'.word(names, i).'.txt' using 1:2:3 with points pt 7 ps 0.5 palette
}
unset multiplot
