name = 'beta'
axis = 'β'
steps = '0.01 0.02 0.1 0.005'
load source.'/normalisation/sweep.gp'
