name = 'beta'
axis = 'β'
load source.'/normalisation/sweep.gp'
