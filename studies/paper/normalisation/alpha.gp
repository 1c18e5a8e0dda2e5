name = 'alpha'
axis = 'α'
load source.'/normalisation/sweep.gp'
