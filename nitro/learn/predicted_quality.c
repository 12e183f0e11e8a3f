/* Predicted quality: JSON for provenance and reports. */
#include "nitro/learn/predicted_quality.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

void nitro_predicted_quality_free(nitro_predicted_quality *predicted)
{
    if (!predicted)
        return;
    free(predicted->sources);
    nitro_string_list_free(&predicted->features);
    free(predicted);
}

static void set_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static json_t *sources_json(const nitro_predicted_quality *predicted, const nitro_dataset *sources)
{
    json_t *array = json_array();
    for (size_t i = 0; i < predicted->num_sources; i++) {
        const nitro_predicted_quality_source *source = &predicted->sources[i];
        json_t *object = json_pack("{s:s}", "device", sources->devices[source->device]->id);
        set_number(object, "distance", source->target_distance);
        set_number(object, "lodo_quality", source->lodo_quality);
        json_array_append_new(array, object);
    }
    return array;
}

/** Settings other than the default, by strategy. */
static json_t *hyper_settings_json(const nitro_predicted_quality *predicted)
{
    json_t *object = json_object();
    const nitro_strategy *strategy = predicted->strategy;
    for (size_t i = 0; i == 0 || i < strategy->num_members; i++) {
        const nitro_strategy *own = strategy->num_members ? strategy->members[i] : strategy;
        if (predicted->hyper_settings[i] > 0)
            json_object_set_new(object, own->name,
                                json_string(own->hyper_settings[predicted->hyper_settings[i]]));
    }
    return object;
}

json_t *nitro_predicted_quality_json(const nitro_predicted_quality *predicted,
                                     const nitro_dataset *sources)
{
    json_t *object = json_object(), *features = json_array();
    json_t *hyper_settings = hyper_settings_json(predicted);
    for (size_t i = 0; i < predicted->features.count; i++)
        json_array_append_new(features, json_string(predicted->features.items[i]));
    set_number(object, "quality", predicted->quality);
    set_number(object, "held_out_quality", predicted->held_out_quality);
    set_number(object, "lodo_quality", predicted->lodo_quality);
    set_number(object, "usual_distance", predicted->usual_distance);
    json_object_set_new(object, "sources", sources_json(predicted, sources));
    json_object_set_new(object, "distance_features", features);
    if (json_object_size(hyper_settings) > 0)
        json_object_set(object, "hyper_parameters", hyper_settings);
    json_decref(hyper_settings);
    if (predicted->warning)
        json_object_set_new(object, "warning", json_string(predicted->warning));
    return object;
}
