#include <model/checker/mutation.hpp>

#include <model/checker/memory.hpp>

#include <algorithm>
#include <cstring>

namespace ramie::model {
namespace {

using enum std::memory_order;

bool same_place(const site& a, const site& b) {
  return a.line == b.line && a.column == b.column && std::strcmp(a.file, b.file) == 0;
}

std::vector<std::memory_order> weaker_than(std::memory_order order, operation what) {
  const bool loads = what != operation::store;
  const bool stores = what != operation::load;
  switch (order) {
    case seq_cst:
      if (loads && stores) return {acq_rel};
      return {loads ? acquire : release};
    case acq_rel: return {acquire, release};
    case acquire:
    case release: return {relaxed};
    default: return {};
  }
}

}  // namespace

const char* name_of(std::memory_order order) {
  switch (order) {
    case relaxed: return "relaxed";
    case consume: return "consume";
    case acquire: return "acquire";
    case release: return "release";
    case acq_rel: return "acq_rel";
    case seq_cst: return "seq_cst";
  }
  return "?";
}

std::string text_of(const site& where) {
  const char* const slash = std::strrchr(where.file, '/');
  return std::string(slash != nullptr ? slash + 1 : where.file) + ":" + std::to_string(where.line);
}

std::string mutant::text() const {
  static constexpr const char* names[] = {
      "load", "store", "read-modify-write", "compare_exchange", "fence", "light fence", "heavy fence", "wake", "lock"};
  std::string text = text_of(at.where) + " " + names[static_cast<std::size_t>(at.what)];
  switch (how) {
    case fault::none: return text + ", as it is";
    case fault::weaker_order: return text + " " + name_of(at.order) + " -> " + name_of(order);
    case fault::weaker_failure: return text + " failing " + name_of(at.failure) + " -> " + name_of(order);
    case fault::torn: return text + " -> load and store";
    case fault::missing: return text + " missing";
  }
  return text;
}

std::vector<mutant> mutants_of(const place_in_code& place) {
  std::vector<mutant> all;
  const auto put = [&](mutant::fault how, std::memory_order order = relaxed) { all.push_back({place, how, order}); };
  switch (place.what) {
    case operation::light_fence:
    case operation::heavy_fence:
    case operation::lock:
    case operation::wake: put(mutant::fault::missing); return all;
    case operation::fence:
      for (const std::memory_order order : weaker_than(place.order, place.what))
        put(mutant::fault::weaker_order, order);
      put(mutant::fault::missing);
      return all;
    default: break;
  }
  for (const std::memory_order order : weaker_than(place.order, place.what)) put(mutant::fault::weaker_order, order);
  if (place.what == operation::compare_exchange) {
    for (const std::memory_order order : weaker_than(place.failure, operation::load)) {
      put(mutant::fault::weaker_failure, order);
    }
  }
  if (place.what == operation::update || place.what == operation::compare_exchange) put(mutant::fault::torn);
  return all;
}

mutant::fault mutation::apply(operation what, site where, std::memory_order& order, std::memory_order* failure) {
  if (met != nullptr) {
    const checker_code here;
    const auto known = std::ranges::find_if(
        *met, [&](const place_in_code& each) { return each.what == what && same_place(each.where, where); });
    if (known == met->end()) met->push_back({where, what, order, failure != nullptr ? *failure : relaxed});
  }
  if (active == nullptr || active->at.what != what || !same_place(active->at.where, where)) return mutant::fault::none;
  if (active->how == mutant::fault::weaker_order) order = active->order;
  if (active->how == mutant::fault::weaker_failure) *failure = active->order;
  return active->how;
}

}  // namespace ramie::model
