# Records heater.tfile: every call of control() with its argument, and some steps of wanted_power().
set pagination off
set confirm off
set width 0
file ./heater
target remote | gdbserver --once - ./heater
break main
continue
trace control
actions
collect $regs, heater->room, heater->temperature, heater->power, target
collect $trace_timestamp
end
trace wanted_power
actions
collect heater->temperature, target
collect $trace_timestamp
while-stepping 3
collect $rip, $rax
collect $trace_timestamp
end
end
break done
tstart
continue
tstop
tsave heater.tfile
kill
