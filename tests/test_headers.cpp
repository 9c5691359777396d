// The precompiled header of the tests needs a source, so this file has no content.
