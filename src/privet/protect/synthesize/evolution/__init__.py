"""Private Evolution: texts and pictures that private samples vote for, made by a generator that never sees one of them.

One calls: `evolve_samples`; `planned_evolution` says what would be booked.
Never: shows a private sample to a generator, or a vote without noise to anybody.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.synthesize.evolution._avatars import Avatars as Avatars
    from privet.protect.synthesize.evolution._chat_endpoint import OpenAICompatible as OpenAICompatible
    from privet.protect.synthesize.evolution._chat_endpoint import RemoteEmbedder as RemoteEmbedder
    from privet.protect.synthesize.evolution._evolution_plan import EvolutionPlan as EvolutionPlan
    from privet.protect.synthesize.evolution._evolution_plan import EvolutionSettings as EvolutionSettings
    from privet.protect.synthesize.evolution._evolve_samples import evolution_outlook as evolution_outlook
    from privet.protect.synthesize.evolution._evolve_samples import evolve_samples as evolve_samples
    from privet.protect.synthesize.evolution._evolve_samples import planned_evolution as planned_evolution
    from privet.protect.synthesize.evolution._glyphs import Glyphs as Glyphs
    from privet.protect.synthesize.evolution._local_embedders import HashedWords as HashedWords
    from privet.protect.synthesize.evolution._local_embedders import Pixels as Pixels
    from privet.protect.synthesize.evolution._local_embedders import SentenceEncoder as SentenceEncoder
    from privet.protect.synthesize.evolution._local_language_model import (
        LocalLanguageModel as LocalLanguageModel,
    )
    from privet.protect.synthesize.evolution._named_models import named_embedder as named_embedder
    from privet.protect.synthesize.evolution._named_models import named_generator as named_generator
    from privet.protect.synthesize.evolution._phrase_templates import Phrases as Phrases
    from privet.protect.synthesize.evolution._private_samples import Images as Images
    from privet.protect.synthesize.evolution._prompts import Prompts as Prompts
    from privet.protect.synthesize.evolution._sample_generator import CallableEmbedder as CallableEmbedder
    from privet.protect.synthesize.evolution._sample_generator import CallableGenerator as CallableGenerator
    from privet.protect.synthesize.evolution._sample_generator import SampleEmbedder as SampleEmbedder
    from privet.protect.synthesize.evolution._sample_generator import SampleGenerator as SampleGenerator
    from privet.protect.synthesize.evolution._sample_generator import points_of as points_of
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
