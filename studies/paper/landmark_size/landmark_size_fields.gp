# Fields on (u,v): rows eigenvectors 1, 3, 5, each with its colour, columns three numbers of landmarks and VDM.
width = 1000; height = 770
load source.'/../style.gp'
set multiplot layout 3,4 margins 0.07,0.99,0.07,0.95 spacing 0.022,0.035
set xrange [-0.2:2*pi+0.2]; set yrange [-0.2:2*pi+0.2]
set border 15
unset grid
unset key
full = system(sprintf("grep -c ',2048,' '%s/landmark_size_summary.csv'", folder)) + 0 > 0
sizes = full ? '256 1024 2048' : '64 256 512'
file = folder.'/landmark_size_arrows.csv'
reach = 0.75
do for [s=1:3] { do for [k=1:4] {
  j = k == 4 ? 0 : k
  unset object
  if (k == 4) { set object 1 rectangle from graph 0,0 to graph 1,1 fillcolor rgb '#f1f3f5' fillstyle solid noborder behind }
  if (s < 3) { set xtics ('' 0, '' pi, '' 2*pi); unset xlabel } else { set xtics ('0' 0, 'π' pi, '2π' 2*pi); set xlabel 'u' }
  if (k > 1) { set ytics ('' 0, '' pi, '' 2*pi); unset ylabel } else { set ytics ('0' 0, 'π' pi, '2π' 2*pi); set ylabel sprintf("v   (eigenvector %d)", 2*s-1) textcolor lt s }
  if (s == 1) { set title (k == 4 ? 'VDM, the reference' : 'LA-VDM, m = '.word(sizes, k)) offset 0,-0.5 } else { unset title }
  plot file using (column('u')):(column('v')):(reach*column(sprintf('l%d_u%d', 2*s-1, j))):(reach*column(sprintf('l%d_v%d', 2*s-1, j))) \
    with vectors head size 0.14,22,60 filled lw 1.1 lc rgb word(blue.' '.orange.' '.green, s)
}}
unset multiplot
