# The surface near s1 and s2, and whole, with the vectors. Surfaces and what lies on them
# are drawn one after the other: within one splot the surface would cover all.
width = 1000; height = 480
load source.'/../style.gp'
file(part) = folder.'/transport_'.part.'.csv'
set multiplot
unset border; unset tics; unset grid; unset colorbox
set palette defined (0 '#9fb0ba', 1 '#f2f5f6')
set view equal xyz
set xyplane relative 0
set pm3d depthorder border lc rgb '#b9c4cb' lw 0.2
set lmargin 0; set rmargin 0; set tmargin 0; set bmargin 0
lift = 1.01
px(n) = lift*column('x')
py(n) = lift*column('y')
named(name, y) = strcol('name') eq name ? y : NaN
names = 'start truth m20 m40'
array titles[4] = ['the vector at s₁', 'its parallel transport to s₂', 'through landmarks, m = 20', 'through landmarks, m = 40']
array colours[4] = ['#000000', '#0072b2', '#d55e00', '#009e73']

set origin 0,0; set size 0.72,1
set view 75,282,2.0,1
set xrange [-1.45:-0.35]; set yrange [-0.65:0.65]; set zrange [-0.55:0.65]
unset key
splot file('patch') using (column('x')):(column('y')):(column('z')):(-column('x')) with pm3d
set key vertical maxrows auto maxcols 1 at screen 0.985,0.96 top right
length = 0.35
splot file('path') using (px(0)):(py(0)):(column('z')) with lines lw 2 dt 3 lc rgb '#000000' title 'geodesic from s₁ to s₂', \
  for [k=1:4] file('vectors') using (px(0)):(py(0)):(column('z')):(named(word(names, k), length*column('dx'))):(length*column('dy')):(length*column('dz')) \
    with vectors head size 0.03,20 filled lw 2 dt 1 lc rgb colours[k] title titles[k]

unset key
set origin 0.66,0.02; set size 0.34,0.72
set view 75,282,1.7,1
set xrange [-1.4:1.4]; set yrange [-1.4:1.4]; set zrange [-1.2:1.2]
splot file('surface') using (column('x')):(column('y')):(column('z')):(-column('x')) with pm3d
splot file('path') using (px(0)):(py(0)):(column('z')) with lines lw 1.5 dt 1 lc rgb '#000000', \
  for [k=1:2] file('vectors') using (px(0)):(py(0)):(column('z')):(named(word(names, k), length*column('dx'))):(length*column('dy')):(length*column('dz')) \
    with vectors head size 0.06,20 filled lw 1.6 dt 1 lc rgb colours[k]
unset multiplot
