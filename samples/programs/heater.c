// A control loop, to be looked at with GDB's tracepoints while it runs.
#include <stdio.h>

struct heater {
  const char* room;
  int temperature;  // in tenths of a degree
  int power;        // in percent
};

static struct heater heaters[] = {{"kitchen", 180, 0}, {"bath", 195, 0}};

static int wanted_power(const struct heater* heater, int target) {
  int missing = target - heater->temperature;
  return missing <= 0 ? 0 : missing > 20 ? 100 : missing * 5;
}

static void control(struct heater* heater, int target) {
  heater->power = wanted_power(heater, target);
  heater->temperature += heater->power / 20 - 1;
}

static void done(void) {
  for (int i = 0; i < 2; ++i) printf("%s: %d\n", heaters[i].room, heaters[i].temperature);
}

int main(void) {
  for (int minute = 0; minute < 4; ++minute)
    for (int i = 0; i < 2; ++i) control(&heaters[i], 210);
  done();
  return 0;
}
