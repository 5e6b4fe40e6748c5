"""Motions of OpenSim: tables of joint coordinates (.mot, .sto) and the models (.osim) that they move."""
