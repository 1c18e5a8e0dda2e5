metric = 'error'; name = 'relative L² error'; low = 0; high = 1.5
load source.'/landmark_size/map.gp'
