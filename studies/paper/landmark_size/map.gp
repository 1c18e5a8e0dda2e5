# One metric on (u,v): rows eigenvectors 1, 3, 5, columns three numbers of landmarks. The better, the paler.
width = 840; height = 800
load source.'/../style.gp'
set multiplot layout 3,3 margins 0.085,0.87,0.07,0.95 spacing 0.035,0.035
set cbrange [low:high]
if (low < 0) { eval turned }
set xrange [0:2*pi]; set yrange [0:2*pi]
set border 15
unset grid
unset key
full = system(sprintf("grep -c ',2048,' '%s/landmark_size_summary.csv'", folder)) + 0 > 0
sizes = full ? '256 1024 2048' : '64 256 512'
file = folder.'/landmark_size_map_'.metric.'.csv'
do for [s=1:3] { do for [k=1:3] {
  set xtics ('0' 0, 'π' pi, '2π' 2*pi) out
  set ytics ('0' 0, 'π' pi, '2π' 2*pi) out
  if (s < 3) { set xtics ('' 0, '' pi, '' 2*pi); unset xlabel } else { set xlabel 'u' }
  if (k > 1) { set ytics ('' 0, '' pi, '' 2*pi); unset ylabel } else { set ylabel sprintf('v   (eigenvector %d)', 2*s-1) textcolor lt s }
  if (s == 1) { set title 'm = '.word(sizes, k) offset 0,-0.5 } else { unset title }
  if (s == 2 && k == 3) { set colorbox user origin 0.9,0.07 size 0.025,0.88; set cblabel name textcolor rgb ink } else { unset colorbox }
  plot file using (column('u')):(column('v')):(column(sprintf('l%d_m%d', 2*s-1, k))) with image
}}
unset multiplot
