// expect: a clause stands in the call of select()
#include <ramie/sync/select.hpp>

void right(ramie::channel<int>& of, std::optional<int>& into) { ramie::select(ramie::on_receive(of, into)); }

#ifdef RAMIE_MISUSE
void wrong(ramie::channel<int>& of, std::optional<int>& into) {
  auto clause = ramie::on_receive(of, into);
  ramie::select(clause);
}
#endif
