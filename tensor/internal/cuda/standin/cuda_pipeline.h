// In the place of NVIDIA's header of this name: pipeline.h has it all.
#pragma once
