// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/experiments.h"

#include "sinew/lab/blend_bar/blend_bar.h"
#include "sinew/lab/curve_rigging/curve_rigging.h"
#include "sinew/lab/embedding/embedding.h"
#include "sinew/lab/implicit/implicit.h"
#include "sinew/lab/joint_shape/joint_shape.h"
#include "sinew/lab/ode/ode.h"
#include "sinew/lab/pbd/pbd.h"
#include "sinew/lab/retargeting/retargeting.h"
#include "sinew/lab/segmentation/segmentation.h"
#include "sinew/lab/transfer/transfer.h"

namespace sinew::lab {

const Registry<Registered<Experiment>>& experiments() {
  static const Registry<Registered<Experiment>> registry = [] {
    Registry<Registered<Experiment>> all("experiment");
    all.add({"blend-bar", "Ramírez & Susín 2015, Tables III–V",
             "Volume that a twisted and bent bar loses, and the time it takes.", blend_bar});
    all.add({"segmentation", "Ramírez & Susín 2015, Tables II–V, with its own method",
             "Owners of vertices, twist-safe skinning of a bar and of a forearm, and the time it takes.",
             segmentation_experiment});
    all.add({"embedding", "Baran & Popović 2007, rates of success",
             "Joints found in bare meshes, synthetic and real, and the effect of each penalty of the search.",
             embedding_experiment});
    all.add({"curve-rigging", "Symmetry 2018, 10, 89, Table 1 and sections 3 to 5",
             "Curves around limbs, their middle lines and bends, and the time it takes.", curve_rigging_experiment});
    all.add({"ode", "Symmetry 2018, 10, 89, Table 1 and section 6",
             "Shapes between example poses against frames that were held out, resonance, and the time it takes.",
             ode_experiment});
    all.add({"transfer", "Cao & Mukai 2024, Table 1 and analytic arms",
             "Weights transferred to arms with known ground truth and to real characters, and the time it takes.",
             transfer_experiment});
    all.add({"transfer-pairs", "every method between real characters with the same joints",
             "Weights transferred between real characters, against the artists' own, and the regret of auto.",
             transfer_pairs});
    all.add(
        {"pbd", "Pan et al. 2017, Table 2, Figs. 7 and 15",
         "Volume that skinning by position-based dynamics preserves, the effect of stiffness, and the time it takes.",
         pbd_experiment});
    all.add({"retargeting", "Pan et al. 2017, section 5, on characters of known truth",
             "Weights transferred by biharmonic distance, to clothes and to levels of detail, and what each part does.",
             retargeting_experiment});
    all.add({"implicit", "Vaillant et al. 2013, contacts of a limb",
             "Contacts, volume and twists of a limb by implicit skinning, its operators, and the time it takes.",
             implicit_experiment});
    all.add(
        {"joint-shape", "Hachette et al. 2021, Table 1",
         "Shapes of parts at joints: bulge energy by stage, closed holes, contours by method, and the time it takes.",
         joint_shape_experiment});
    return all;
  }();
  return registry;
}

}  // namespace sinew::lab
