# The jigsaw as it was found, chained and synchronised.
width = 1120; height = 268
load 'examples/c/style.gp'
set multiplot layout 1,3 margins 0.005,0.995,0.01,0.90 spacing 0.012,0
unset key; unset tics; unset border
set size ratio -1
set xrange [-0.5:351.5]; set yrange [-0.5:223.5]
names = 'found chained synchronised'
array titles[3] = ['as found', 'each piece fitted to the one before', 'synchronised']
do for [i=1:3] {
  set title titles[i] offset 0,-0.5
  plot folder.'/jigsaw_'.word(names, i).'.ppm' binary skip=15 array=(352,224) flipy format='%uchar' with rgbimage
}
unset multiplot
