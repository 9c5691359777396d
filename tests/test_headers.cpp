// Nothing of its own: what is precompiled for the tests needs a unit.
