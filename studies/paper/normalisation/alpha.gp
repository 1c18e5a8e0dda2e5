name = 'alpha'
axis = 'α'
steps = '0.01 0.2 0.2 0.002'
load source.'/normalisation/sweep.gp'
