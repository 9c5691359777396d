// This file has no content: the precompiled header of the tests needs a source.
