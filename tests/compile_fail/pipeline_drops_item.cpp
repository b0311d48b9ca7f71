// expect: every stage of a ramie::pipeline returns the item for the next one, and the last one nothing
#include <ramie/ramie.hpp>

std::optional<int> next_item();
void keep(int item);

void right() { ramie::pipeline({}, next_item, ramie::stage::in_order(keep)); }

#ifdef RAMIE_MISUSE
void wrong() { ramie::pipeline({}, next_item, ramie::stage::parallel(keep), ramie::stage::in_order(keep)); }
#endif
