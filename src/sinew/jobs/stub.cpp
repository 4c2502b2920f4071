namespace sinew{}
