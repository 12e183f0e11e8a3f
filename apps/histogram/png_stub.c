/* PNG images in a build without libpng: the error names the package to install. */
#include "apps/histogram/samples.h"

nitro_status nitro_histogram_png_parse(nitro_context *context, const nitro_histogram_image *image,
                                       nitro_histogram **histogram)
{
    (void)histogram;
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "%s: this build cannot read PNG images; install libpng-dev and build again "
                      "with -DNITRO_PNG=ON, or convert the image to PGM",
                      image->name);
}
