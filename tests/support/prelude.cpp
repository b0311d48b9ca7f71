// The object that support/prelude.hpp is compiled for.
