metric = 'angle'; name = 'cosine'; low = -1; high = 1
load source.'/landmark_size/map.gp'
