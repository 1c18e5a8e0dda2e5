# The first two coordinates of either sensor, of both together, and fused; the colour is the common angle.
width = 1200; height = 308
load 'examples/c/style.gp'
set multiplot layout 1,4 margins 0.006,0.93,0.02,0.885 spacing 0.012,0
unset key; unset tics
set border 15 lc rgb '#d0d7de'
set size square
set offsets graph 0.06, graph 0.06, graph 0.06, graph 0.06
set cbrange [0:2*pi]
eval wheel
names = 'sensor_1 sensor_2 both fused'
array titles[4] = ['sensor 1', 'sensor 2', 'both in one vector', 'fused through landmarks']
do for [i=1:4] {
  set title titles[i] offset 0,-0.5
  if (i == 4) {
    set colorbox user origin 0.942,0.03 size 0.012,0.80; set cbtics ('0' 0, 'π' pi, '2π' 2*pi) scale 0 textcolor rgb faint
    set label 1 'angle' at screen 0.942,0.9 left textcolor rgb faint
  } else { unset colorbox }
  plot folder.'/fusion_'.word(names, i).'.txt' using 1:2:3 with points pt 7 ps 0.42 palette
}
unset multiplot
