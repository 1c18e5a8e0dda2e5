metric = 'magnitude'; name = 'relative magnitude difference'; low = 0; high = 1
load source.'/landmark_size/map.gp'
