# Names above all panels, in a row, each in its colour with its mark: the array `entries`. After the first panel:
# eval forget, or every panel draws them again. The next entry of a script's own would begin at `beside`.
letters = 0
do for [k=1:|entries|] { letters = letters + strlen(entries[k]) + 4 }
letter = 7.5 / width
beside = 0.5 - letter * letters / 2
do for [k=1:|entries|] {
  words = word('● ■ ▲ ◆ ○', k).' '.entries[k]
  if (k < 5) { set label 100+k words at screen beside,0.975 left textcolor lt k } else { set label 100+k words at screen beside,0.975 left textcolor rgb ink }
  beside = beside + letter * (strlen(entries[k]) + 4)
}
forget = "do for [k=1:|entries|] { unset label 100+k }"
