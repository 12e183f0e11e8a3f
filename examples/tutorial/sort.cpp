// sort.cpp - sorts numbers by two algorithms; Nitro chooses one for each input.
#include <algorithm>
#include <cstdio>
#include <nitro/nitro.hpp>
#include <random>

struct numbers {
    std::vector<unsigned> keys, sorted;
    unsigned bound; // all keys are below
};

std::unique_ptr<numbers> random_numbers(unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<unsigned> zeros(1u << random() % 18);
    auto made = std::make_unique<numbers>(numbers{zeros, {}, 1u << random() % 24});
    for (unsigned &key : made->keys)
        key = unsigned(random()) % made->bound;
    return made;
}

int main(int argc, char **)
{
    nitro::context context;
    nitro::computation<numbers> sort(context, "sort_numbers");
    sort.add_variant("comparing", [](numbers &n) {
        n.sorted = n.keys;
        std::sort(n.sorted.begin(), n.sorted.end());
    });
    sort.add_variant("counting", [](numbers &n) {
        std::vector<unsigned> counts(n.bound);
        n.sorted.clear();
        for (unsigned key : n.keys)
            counts[key]++;
        for (unsigned key = 0; key < n.bound; key++)
            n.sorted.insert(n.sorted.end(), counts[key], key);
    });
    sort.add_feature({"length"}, [](const numbers &n) { return double(n.keys.size()); });
    sort.add_feature({"bound"}, [](const numbers &n) { return double(n.bound); });
    if (argc > 1) { // any argument: measure on 40 inputs, learn
        nitro::hooks<numbers> hooks;
        hooks.check_result = [](numbers &n) {
            return std::is_sorted(n.sorted.begin(), n.sorted.end()) ? "" : "not sorted";
        };
        std::vector<nitro::input<numbers>> inputs;
        for (unsigned i = 0; i < 40; i++)
            inputs.push_back({std::to_string(i), [i] { return random_numbers(i); }});
        nitro::store store(context, "sort.db", NITRO_STORE_WRITE);
        sort.set_hooks(hooks).tune(store, inputs);
        store.learn_own("sort_numbers", "host").save("sort.json");
        return 0;
    }
    sort.configure();
    for (unsigned seed = 1000; seed < 1005; seed++) {
        auto input = random_numbers(seed);
        nitro::decision made = sort.run(*input);
        std::printf("%6zu below %8u: %s, %s\n", input->keys.size(), input->bound, made.variant_name,
                    nitro::reason_text(made));
    }
}
